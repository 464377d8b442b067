/** Records of an imported file, and what is known of its format. */

/** A field of CSV without characters and quotes. Quoted, it is the empty text. */
export const emptyField: unique symbol = Symbol('empty field');

export interface FileRecord {
  /** Line of the file where the record begins, from 1; in a JSON array the number of the item. */
  readonly line: number;
  /** Values by column of the file: of CSV texts and `emptyField`, of JSON any value. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why the record cannot be read. */
  readonly problem?: string;
}

export interface CsvFormat {
  readonly kind: 'csv';
  readonly delimiter: string;
  readonly quote: string;
  /** Whether the first line has the names of the columns. */
  readonly hasHeader: boolean;
}

export type FileFormat = CsvFormat | { readonly kind: 'json' };

/** A problem of the whole file. */
export class FileProblem extends Error {}

/** Characters that the format is detected from. */
const SAMPLE = 64 * 1024;

/** Returns the beginning of a file, without its last line where it is longer. Throws FileProblem. */
export async function sampleOf(file: Blob): Promise<string> {
  const text = decoded(await file.slice(0, SAMPLE).arrayBuffer(), file.size > SAMPLE);
  return file.size > SAMPLE ? text.slice(0, text.lastIndexOf('\n') + 1) || text : text;
}

function decoded(bytes: ArrayBuffer, isPart: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isPart });
  } catch (cause) {
    throw new FileProblem(notUtf8, { cause });
  }
}

const notUtf8 = 'The file is not text in UTF-8. Save it as UTF-8 and choose it again.';

/** Yields the text of a file in parts. Throws FileProblem. */
export async function* textParts(file: Blob): AsyncGenerator<string, undefined, undefined> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw cause instanceof TypeError ? new FileProblem(notUtf8, { cause }) : cause;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
