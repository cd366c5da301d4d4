package lab.load;

/** Keeps what a subclass writes off the lines of the object before it; longs stay where a superclass has them. */
class Padding {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}
