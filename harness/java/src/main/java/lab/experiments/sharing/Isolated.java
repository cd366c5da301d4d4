package lab.experiments.sharing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Stands for jdk.internal.vm.annotation.Contended, which code at a source level with a fixed API cannot name;
 * {@link ContendedClass} puts that name in when the class is loaded.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface Isolated {}
