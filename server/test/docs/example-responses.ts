/** How the response of an example is compared with that of its page: ids and times differ from run to run. */

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;

/** The value with placeholders for ids and times. */
export function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value)?.replace(uuid, '<id>').replace(time, '<time>');
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** Keys and types only: for responses with durations, versions and sizes. Of a list, the first element counts. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

/** One line for what fits, otherwise one line for each member. */
export function layOut(value: unknown, indent = ''): string {
  const short = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ') ?? 'null';
  if (indent.length + short.length <= 110 || typeof value !== 'object' || value === null) return short;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((one) => inner + layOut(one, inner))
    : Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${layOut(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

/** The ids of a page and those of a run, in the order in which responses return them. */
export interface ExampleIds {
  /** The text of a request with the ids of the run. */
  ofRun(text: string): string;
  /** The text of a response with the ids of the page; new ids are numbered. */
  ofPage(text: string): string;
  /** Learns the ids of a response from that of the page. */
  learn(page: string | undefined, run: string): void;
}

export function createExampleIds(): ExampleIds {
  const toRun = new Map<string, string>();
  const toPage = new Map<string, string>();
  const add = (page: string, run: string): void => {
    if (toPage.has(run) || toRun.has(page)) return;
    toRun.set(page, run);
    toPage.set(run, page);
  };
  return {
    ofRun: (text) => text.replace(uuid, (id) => toRun.get(id) ?? id),
    ofPage: (text) => text.replace(uuid, (id) => toPage.get(id) ?? id),
    learn: (page, run) => {
      const printed = page?.match(uuid) ?? [];
      for (const [index, id] of (run.match(uuid) ?? []).entries()) {
        if (toPage.has(id)) continue;
        add(printed[index] ?? `5d0c6b1e-0000-4000-8000-${String(toPage.size + 1).padStart(12, '0')}`, id);
      }
    },
  };
}
