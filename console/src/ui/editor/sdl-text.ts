/** SDL text. Pure. */

/** Removes all descriptions from SDL as graphql-js prints it. */
export function withoutDescriptions(sdl: string): string {
  return sdl.replaceAll(/^ *"""[\s\S]*?"""\n/gm, '').replaceAll(/\n\n+/g, '\n');
}
