/** Reads the bodies of messages of the server. */
import { DatabaseError } from 'pg-protocol';
import { ProtocolError } from './framing.ts';

/** A column of a result. */
export interface Field {
  readonly name: string;
  readonly typeOid: number;
}

/** The type byte of each message of the server that is handled. */
export const type = {
  authentication: 0x52,
  backendKey: 0x4b,
  bindComplete: 0x32,
  closeComplete: 0x33,
  commandComplete: 0x43,
  copyData: 0x64,
  copyDone: 0x63,
  copyIn: 0x47,
  copyOut: 0x48,
  dataRow: 0x44,
  emptyQuery: 0x49,
  error: 0x45,
  negotiateVersion: 0x76,
  noData: 0x6e,
  notice: 0x4e,
  notification: 0x41,
  parameterDescription: 0x74,
  parameterStatus: 0x53,
  parseComplete: 0x31,
  portalSuspended: 0x73,
  ready: 0x5a,
  rowDescription: 0x54,
} as const;

/** Reads values one after another. Throws ProtocolError beyond the end. */
export class Reader {
  private readonly bytes: Buffer;
  private at: number;
  private readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get rest(): number {
    return this.end - this.at;
  }

  byte(): number {
    return this.bytes[this.advance(1)] ?? 0;
  }

  int16(): number {
    return this.bytes.readUInt16BE(this.advance(2));
  }

  int32(): number {
    return this.bytes.readInt32BE(this.advance(4));
  }

  uint32(): number {
    return this.bytes.readUInt32BE(this.advance(4));
  }

  /** A string up to the next zero byte. */
  string(): string {
    const zero = this.bytes.indexOf(0, this.at);
    if (zero === -1 || zero >= this.end) throw truncated();
    const start = this.advance(zero + 1 - this.at);
    return this.bytes.toString('utf8', start, zero);
  }

  /** Returns a copy of the bytes up to the end. */
  remaining(): Buffer {
    return Buffer.from(this.bytes.subarray(this.advance(this.rest), this.end));
  }

  private advance(count: number): number {
    const start = this.at;
    if (start + count > this.end) throw truncated();
    this.at = start + count;
    return start;
  }
}

function truncated(): ProtocolError {
  return new ProtocolError('the server sent a message that is shorter than its content');
}

/** Reads a row: the text form of each value, in the order of the fields. */
export function readRow(bytes: Buffer, start: number, end: number): (string | null)[] {
  const count = bytes.readUInt16BE(start);
  const row: (string | null)[] = [];
  let at = start + 2;
  for (let index = 0; index < count; index += 1) {
    const length = at + 4 <= end ? bytes.readInt32BE(at) : -2;
    at += 4;
    if (length === -1) {
      row.push(null);
      continue;
    }
    if (length < 0 || at + length > end) throw truncated();
    row.push(bytes.toString('utf8', at, at + length));
    at += length;
  }
  if (at !== end) throw new ProtocolError('the server sent a row whose length differs from that of its values');
  return row;
}

export function readFields(reader: Reader): readonly Field[] {
  const fields: Field[] = [];
  for (let count = reader.int16(); count > 0; count -= 1) {
    const name = reader.string();
    reader.int32();
    reader.int16();
    const typeOid = reader.uint32();
    reader.int16();
    reader.int32();
    reader.int16();
    fields.push({ name, typeOid });
  }
  return fields;
}

/** Reads the fields of an error or a notice by their type byte. */
export function readErrorFields(reader: Reader): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let code = reader.byte(); code !== 0; code = reader.byte()) {
    fields.set(String.fromCharCode(code), reader.string());
  }
  return fields;
}

/** Reads an error, with the members of `PostgresError`. */
export function readError(bytes: Buffer, start: number, end: number): DatabaseError {
  const fields = readErrorFields(new Reader(bytes, start, end));
  const error = new DatabaseError(fields.get('M') ?? '', end - start, 'error');
  error.severity = fields.get('S') ?? 'ERROR';
  error.code = fields.get('C') ?? 'XX000';
  error.detail = fields.get('D');
  error.hint = fields.get('H');
  error.position = fields.get('P');
  error.internalPosition = fields.get('p');
  error.internalQuery = fields.get('q');
  error.where = fields.get('W');
  error.schema = fields.get('s');
  error.table = fields.get('t');
  error.column = fields.get('c');
  error.dataType = fields.get('d');
  error.constraint = fields.get('n');
  error.file = fields.get('F');
  error.line = fields.get('L');
  error.routine = fields.get('R');
  return error;
}
