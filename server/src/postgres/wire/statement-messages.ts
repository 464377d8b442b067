/** Encodes the messages of one statement as one buffer. */
import { serialize } from 'pg-protocol';
import { encodeParameter } from '../sql/parameters.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The name of the prepared statement; undefined for the unnamed one. */
  readonly name: string | undefined;
}

/** How to prepare a statement: `close` first closes its name, and `none` uses what the server has prepared. */
export type Preparation = 'none' | 'parse' | 'close';

const execution = Buffer.concat([serialize.execute(), serialize.sync()]);
const describedExecution = Buffer.concat([serialize.describe({ type: 'P' }), execution]);

/** Returns the simple query of a text, which may contain several statements. */
export function encodeSimpleQuery(text: string): Buffer {
  return serialize.query(text);
}

/**
 * Returns the messages of a statement up to Sync. Throws for a value that cannot be encoded.
 *
 * @param describes whether to request the description of the result
 */
export function encodeStatement(
  { text, values, name = '' }: Statement,
  preparation: Preparation,
  describes: boolean,
): Buffer {
  const bind = serialize.bind({ statement: name, values: values as unknown[], valueMapper: encodeParameter });
  const end = describes ? describedExecution : execution;
  if (preparation === 'none') {
    const messages = Buffer.allocUnsafe(bind.length + end.length);
    messages.set(bind);
    messages.set(end, bind.length);
    return messages;
  }
  const parse = serialize.parse({ name, text });
  return Buffer.concat(
    preparation === 'close' ? [serialize.close({ type: 'S', name }), parse, bind, end] : [parse, bind, end],
  );
}

const cancelCode = 80_877_102;

/** Returns the request to cancel the statement of a connection. Protocol 3.2 has keys of up to 256 bytes. */
export function encodeCancel(processId: number, key: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeInt32BE(header.length + key.length, 0);
  header.writeInt32BE(cancelCode, 4);
  header.writeInt32BE(processId, 8);
  return Buffer.concat([header, key]);
}
