/** Parses JSON paths such as `$.sources[0].tables[3]` and `$["odd name"]`. Pure. */

export type Step = string | number;

export function stepsOf(path: string): readonly Step[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g)].map(([, name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return name ?? (JSON.parse(`"${quoted ?? ''}"`) as string);
  });
}
