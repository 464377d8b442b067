/** Type assertions of the programs. */

/** `true` if the types are the same. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if the type argument is `true`. */
export function expectType<_T extends true>(): void {}
