// Functions that send a hostile request and resolve with a short description of the response.
import { request } from 'node:http';
import { connect } from 'node:net';
import WebSocket from 'ws';

/** The time limit of a response, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Sends `body` and resolves with the status and the code of the first error. */
export function sendHttp(url, headers, { method = 'POST', path = '/v1/graphql', body, type = 'application/json' }) {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent: false,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks = [];
        let length = 0;
        response.on('data', (chunk) => {
          length += chunk.length;
          if (chunks.length < 4) chunks.push(chunk);
        });
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const code = /"code":"([^"]*)"/.exec(text)?.[1] ?? (text.includes('"message"') ? 'error' : 'ok');
          resolve(`${response.statusCode} ${code} ${length} B`);
        });
      },
    );
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('no response')));
    // The service may reject a body and close the connection before all of it is sent.
    sent.on('error', (error) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(error.code) : reject(error),
    );
    sent.end(body);
  });
}

/** Sends `text` unchanged over a TCP connection. */
export function sendBytes(url, bytes) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).split('\r\n')[0]);
    });
    socket.once('error', (error) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(error.code) : reject(error),
    );
    socket.once('close', () => resolve('closed'));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no response')));
  });
}

/** Opens a socket, sends the messages of `steps` in order, and resolves with the close code or the response to the last one. */
export function sendFrames(url, headers, protocol, steps) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`, protocol, {
      headers,
      maxPayload: 0,
      perMessageDeflate: false,
    });
    const patience = setTimeout(() => {
      socket.terminate();
      resolve('no response');
    }, 10_000);
    const ended = (text) => {
      clearTimeout(patience);
      socket.terminate();
      resolve(text);
    };
    let step = 0;
    const next = () => socket.send(steps[step++]);
    socket.on('open', next);
    socket.on('message', (data) => {
      const text = String(data.subarray(0, 2_000));
      const type = /"type":"(\w+)"/.exec(text)?.[1];
      if (type === 'ping' || type === 'ka') return;
      if (step < steps.length) next();
      else ended(`${type} ${/"code":"([^"]*)"/.exec(text)?.[1] ?? ''}`);
    });
    socket.on('close', (code) => ended(`closed ${code}`));
    socket.on('error', (error) => (/EPIPE|ECONNRESET/.test(error.message) ? undefined : reject(error)));
  });
}
