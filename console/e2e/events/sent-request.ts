/** Requests as a log of calls shows them, and as their receiver got them. */
import type { Locator } from 'playwright-core';
import type { Received } from '../support/webhook.ts';

export interface ShownRequest {
  /** `POST http://…` */
  readonly line: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without white space, which the log adds to JSON. */
  readonly body: string;
}

/** Reads the names of the headers of a preview, in lower case and sorted. */
export async function previewedNames(preview: Locator): Promise<readonly string[]> {
  const [, ...lines] = (await preview.innerText()).split('\n');
  return lines.map((line) => (line.split(':')[0] ?? '').toLowerCase()).toSorted();
}

/** Reads the request of an attempt that is open. `within`: the attempt, or what has it alone. */
export async function shownRequest(within: Locator): Promise<ShownRequest> {
  const line = await within.getByRole('region', { name: 'request line' }).innerText();
  // The table of the request is before that of the response.
  const rows = await within.getByRole('table').filter({ hasText: 'User-Agent' }).first().getByRole('row').all();
  const pairs = await Promise.all(
    rows.map(async (row) => {
      const name = (await row.getByRole('rowheader').innerText()).toLowerCase();
      return [name, await row.getByRole('cell').innerText()] as const;
    }),
  );
  const body = await within.getByRole('region', { name: 'request body' }).innerText();
  return { line, headers: Object.fromEntries(pairs), body: compact(body) };
}

/**
 * Returns what the log must show of a request: the method, each header, and the body.
 *
 * @param url the URL as the log shows it, with templates of variables
 * @param hidden the shown values of headers whose values are secret
 */
export function expectedRequest(
  { method, headers, body }: Received,
  url: string,
  hidden: Readonly<Record<string, string>>,
): ShownRequest {
  return {
    line: `${method} ${url}`,
    headers: { ...(headers as Readonly<Record<string, string>>), ...hidden },
    body: compact(body),
  };
}

function compact(text: string): string {
  return text.replaceAll(/\s/g, '');
}
