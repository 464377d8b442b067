/** The client of the official SDK, connected to an endpoint of the MCP server. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface CalledTool {
  readonly isError: boolean;
  readonly text: string;
  /** The text, parsed as JSON. */
  readonly json: () => unknown;
}

export interface TestClient {
  readonly client: Client;
  names(): Promise<readonly string[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>;
}

export async function connectMcp(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestClient> {
  const client = new Client({ name: 'tests', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } }));
  return testClient(client);
}

export function testClient(client: Client): TestClient {
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const [content] = result.content as readonly { readonly type: string; readonly text?: string }[];
      const text = content?.text ?? '';
      return { isError: result.isError === true, text, json: () => JSON.parse(text) };
    },
  };
}
