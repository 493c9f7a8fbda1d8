/* The product of two matrices. */
enum { N = 2 };

void product(int a[N][N], int b[N][N], int result[N][N])
{
    for (int i = 0; i < N; i++) {  //~ 13 killed; equivalent: 23 `<` -> `!=`
        for (int j = 0; j < N; j++) {  //~ 13 killed; equivalent: 27 `<` -> `!=`
            int sum = 0;  //~ 2 killed
            for (int k = 0; k < N; k++)  //~ 13 killed; equivalent: 31 `<` -> `!=`
                sum += a[i][k] * b[k][j];  //~ 20 killed
            result[i][j] = sum;  //~ 9 killed
        }
    }
}
