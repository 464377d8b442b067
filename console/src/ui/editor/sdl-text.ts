/** SDL as text. Pure. */

/** As it is printed by GraphQL's reference implementation, each definition without its descriptions. */
export function withoutDescriptions(sdl: string): string {
  return sdl.replaceAll(/^ *"""[\s\S]*?"""\n/gm, '').replaceAll(/\n\n+/g, '\n');
}
