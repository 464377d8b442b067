/** Prints responses as node:http does: the headers in their order, the date, and the headers of a connection that stays open. */
import { STATUS_CODES } from 'node:http';

export type HeaderList = readonly (readonly [name: string, value: string])[];

let second = 0;
let date = '';

function currentDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}

/** Characters that node:http accepts in the value of a header. */
const acceptable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns the name of the first header whose value node:http rejects. */
export function invalidHeader(headers: HeaderList): string | undefined {
  return headers.find(([, value]) => !acceptable.test(value))?.[0];
}

/** Prints the response of the framework to a header that node:http rejects, without the other headers. */
export function printRejected(name: string): { readonly head: (connection: string) => string; readonly body: string } {
  const body = JSON.stringify({
    ...{ statusCode: 500, code: 'ERR_INVALID_CHAR', error: 'Internal Server Error' },
    message: `Invalid character in header content ["${name}"]`,
  });
  return {
    head: (connection) =>
      `HTTP/1.1 500 OK\r\nDate: ${currentDate()}\r\n${connection}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  };
}

/** Values of a header that are sent in a line of their own each. */
const SEVERAL = 'set-cookie';

/** Prints the head of a response. All values of `set-cookie` are printed at its first place. */
export function printHead(status: number, headers: HeaderList, contentLength: number, connection: string): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let hasCookies = false;
  for (const [name, value] of headers) {
    if (name !== SEVERAL) text += `${name}: ${value}\r\n`;
    else if (!hasCookies) {
      hasCookies = true;
      for (const [other, cookie] of headers) if (other === SEVERAL) text += `${SEVERAL}: ${cookie}\r\n`;
    }
  }
  return `${text}content-length: ${contentLength}\r\nDate: ${currentDate()}\r\n${connection}\r\n\r\n`;
}
