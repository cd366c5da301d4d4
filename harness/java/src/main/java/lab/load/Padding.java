package lab.load;

/**
 * Keeps what a subclass writes off the lines of the object before it. Fields of a superclass come first, but a gap
 * among them is filled with a subclass's: hence the int, which takes the one behind the object's header.
 */
public class Padding {
    int gap;
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}
