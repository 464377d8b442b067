/** Writes objects of the metadata with their members in order and without defaults. */

export type Written = Record<string, unknown>;

/** Converts a member; undefined omits it. */
export type Member = (value: never) => unknown;

/** Converts `members` in their order, then copies the other members of `object`. */
export function write(object: object, members: Readonly<Record<string, Member>>): Written {
  const source = object as Written;
  const known = Object.entries(members).flatMap(([name, member]): [string, unknown][] => {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    const kept = value === undefined ? undefined : member(value as never);
    return kept === undefined ? [] : [[name, kept]];
  });
  const others = Object.entries(source).filter(([name, value]) => !Object.hasOwn(members, name) && value !== undefined);
  return Object.fromEntries([...known, ...others]);
}

export function asItIs(value: unknown): unknown {
  return value;
}

export function ifGiven(value: unknown): unknown {
  return value ?? undefined;
}

export function ifTrue(value: unknown): unknown {
  return value === true ? true : undefined;
}

export function unless(standard: unknown): Member {
  return (value: unknown) => (value === standard ? undefined : value);
}

export function unlessEmpty(value: object | null): unknown {
  return value === null || Object.keys(value).length === 0 ? undefined : value;
}

export function list<Element>(element: (one: Element) => unknown): Member {
  return (elements: readonly Element[] | null) =>
    elements === null || elements.length === 0 ? undefined : elements.map(element);
}

/** Removes members that are null, empty or false. */
export function plain(object: object): Written {
  const kept = Object.entries(object).filter(
    ([, value]) =>
      value !== undefined &&
      value !== null &&
      value !== false &&
      !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  return Object.fromEntries(kept);
}
