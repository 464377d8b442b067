/** Path patterns and query strings. Pure. */

/** Matches a path with a pattern such as `/events/one-off/:view`. Returns the parameters, or undefined. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = stepsOf(pattern);
  const given = stepsOf(path);
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, step] of wanted.entries()) {
    const actual = given[index] ?? '';
    if (step.startsWith(':')) found[step.slice(1)] = actual;
    else if (step !== actual) return undefined;
  }
  return found;
}

function stepsOf(path: string): string[] {
  return path
    .split('/')
    .filter((step) => step !== '')
    .map(decoded);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/**
 * Returns the query string with these parameters changed. Undefined removes a parameter. Starts with `?`, or is empty.
 */
export function changeSearch(search: string, changes: Readonly<Record<string, string | undefined>>): string {
  const members = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  const text = members.toString();
  return text === '' ? '' : `?${text}`;
}
