/**
 * The header with which the console requests that its session authenticates. Pages of other origins cannot send it without
 * a preflight, and requests of other clients do not have it.
 */
export const CONSOLE_HEADER = 'x-joinery-console';
