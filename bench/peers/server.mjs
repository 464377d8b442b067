// What the servers of this folder share: the start on loopback, the end with the benchmark, and responses.

/** Prints the URL of the server. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
  process.on('SIGTERM', () => process.exit(0));
}

/** Sends JSON text. */
export function send(response, body) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}
