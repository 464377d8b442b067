/** Writes objects of the metadata with their members in order and without defaults. */

/** An object of the metadata as it is exported. */
export type Written = Record<string, unknown>;

/** Converts a member; undefined omits it. */
export type Member = (value: never) => unknown;

/** Converts `members` in their order, then copies the other members of `object`. */
export function write(object: object, members: Readonly<Record<string, Member>>): Written {
  const source = object as Written;
  const known = Object.entries(members).flatMap(([name, member]): [string, unknown][] => {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    const converted = value === undefined ? undefined : member(value as never);
    return converted === undefined ? [] : [[name, converted]];
  });
  const others = Object.entries(source).filter(([name, value]) => !Object.hasOwn(members, name) && value !== undefined);
  return Object.fromEntries([...known, ...others]);
}

/** Returns the value unchanged. */
export function asItIs(value: unknown): unknown {
  return value;
}

/** Omits null. */
export function ifGiven(value: unknown): unknown {
  return value ?? undefined;
}

/** Omits every value but true. */
export function ifTrue(value: unknown): unknown {
  return value === true ? true : undefined;
}

/** Returns a conversion that omits the default value. */
export function unless(standard: unknown): Member {
  return (value: unknown) => (value === standard ? undefined : value);
}

/** Omits null, and objects and lists without members. */
export function unlessEmpty(value: object | null): unknown {
  return value === null || Object.keys(value).length === 0 ? undefined : value;
}

/** Returns a conversion of each element that omits null and empty lists. */
export function list<Element>(element: (one: Element) => unknown): Member {
  return (elements: readonly Element[] | null) =>
    elements === null || elements.length === 0 ? undefined : elements.map(element);
}

/** Removes members that are null, empty or false. */
export function plain(object: object): Written {
  const members = Object.entries(object).filter(
    ([, value]) =>
      value !== undefined &&
      value !== null &&
      value !== false &&
      !(typeof value === 'object' && Object.keys(value).length === 0),
  );
  return Object.fromEntries(members);
}
