/** Handles a message of the Model Context Protocol with its SDK, which is loaded with the first one. */
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpCaller, Tool } from '../../service/mcp/tool.ts';
import type { Toolset } from '../../service/mcp/toolsets.ts';

export interface McpMessage {
  /** The parsed body. */
  readonly body: unknown;
  /** The headers that the protocol defines. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

let sdk: Promise<Sdk> | undefined;

async function loadSdk() {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types, { AjvJsonSchemaValidator }] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
      import('@modelcontextprotocol/sdk/validation/ajv'),
    ]);
  // The validator is for responses of clients, which this server never requests; each server would create its own.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  return { Server, Transport: WebStandardStreamableHTTPServerTransport, types, jsonSchemaValidator };
}

/**
 * Resolves to the response to one message. Without sessions: each message has a server and a transport of its own, so that
 * any process of a service can handle it.
 */
export async function handleMessage(
  { body, headers }: McpMessage,
  toolset: Toolset,
  caller: McpCaller,
  { version, instructions }: { readonly version: string; readonly instructions: string },
): Promise<McpReply> {
  sdk ??= loadSdk();
  const { Server, Transport, types, jsonSchemaValidator } = await sdk;
  const server = new Server(
    { name: 'joinery', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator },
  );
  serveTools(server, toolset, caller, types);
  const transport = new Transport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers } });
    const response = await transport.handleRequest(request, { parsedBody: body });
    return { status: response.status, headers: [...response.headers], text: await response.text() };
  } finally {
    await server.close();
  }
}

function serveTools(server: McpServer, toolset: Toolset, caller: McpCaller, types: Sdk['types']): void {
  const tools = (): readonly Tool[] => toolset.tools(caller.session);
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools().map(describeTool) }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    const tool = tools().find((one) => one.name === name);
    if (tool === undefined) {
      const message = `there is no tool "${name}" for the role "${caller.session.role}"; tools/list returns the tools`;
      throw new types.McpError(types.ErrorCode.InvalidParams, message);
    }
    const { text, isError } = await toolset.call(tool, args, caller);
    return { content: [{ type: 'text', text }], isError };
  });
}

function describeTool({ name, description, inputSchema, annotations }: Tool) {
  return { name, description, inputSchema: { ...inputSchema, type: 'object' as const }, annotations };
}
