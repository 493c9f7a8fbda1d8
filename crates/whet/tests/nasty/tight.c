/* As little space as C needs. */
int tight(int a,int b,int*p){int c=a- -b+-a;c-=-b;c=a+ +b;c=!a-!b;c=-~-c;if(a>b)c=a<<1>>b%8;else c=a&b|c^~a;
p[0]=c---a;p[1]+=a++ +b;return(c)?-c:*p**p-p[1]/(a?a:1);}
int exponents(int a){return 0xe -a+0xE +1-a-0x1p1-.5e1+a*1e0;}
int unary(int a,int b){return- - -a-(-b)- -1-(~b)*-2+!-a+~-1;}
int keywords(int a){if(a)return-a;else return+a;do a--;while(a>0);return sizeof(a)-sizeof a;}
