/* Functions without a body: what they are given is observed, what they return is an input. */
int read_sensor(int channel);
void set_alarm(int level);

int watch(int limit)
{
    int value = read_sensor(1) + read_sensor(2);  //~ 9 killed
    if (value > limit)  //~ 11 killed
        set_alarm(value - limit);  //~ 10 killed
    return value;  //~ 3 killed
}
