/** `test_action_handler`: calls the handler of an action, and returns what was sent and received. */
import { type HandlerTest, TestActionHandler } from '@joinery/metadata/api/action-test';
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import type { HttpCall, HttpClient } from '../../base/http-client/http-client.ts';
import { wholeRequest } from '../../events/webhook/sent-request.ts';
import { testHandler } from '../../execute/action/handler/handler-test.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { readCommand } from './command.ts';

/** Changes nothing in the service; the handler is called with all of its effects. */
export const testActionHandler: ServiceCommand<CommandResult<'test_action_handler'>> = readCommand(
  TestActionHandler,
  async ({ name, input, session_variables, client_headers }, { state }, { tools, signal }) => {
    const action = state.model.actions.get(name);
    if (action === undefined) {
      throw new ServiceError('not-exists', `action "${name}" does not exist`, { path: '$.args.name' });
    }
    const variables = new Map(lowerCase(session_variables ?? {}));
    const role = variables.get(`${tools.sessionPrefix}role`);
    const session = { role: role === undefined ? ADMIN_ROLE : RoleName.parse(role), variables };
    const headers = Object.fromEntries(lowerCase(client_headers ?? {}));
    const { httpClient, environment, operations } = tools;
    let sent: HttpCall | undefined;
    const recorded = recording(httpClient, (call) => {
      sent = call;
    });
    const test = await testHandler(
      { action, input, session, headers, query: null },
      { httpClient: recorded, environment, settings: operations.settings, signal },
    );
    return sent === undefined ? test : { ...test, request: withAllHeaders(test.request, sent) };
  },
);

function lowerCase(pairs: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]);
}

/** Returns a client that passes each call, with the headers that are sent, to `onSent`. */
function recording(httpClient: HttpClient, onSent: (call: HttpCall) => void): HttpClient {
  return {
    call: (call) => httpClient.call({ ...call, onHeaders: (headers) => onSent({ ...call, headers }) }),
    close: () => httpClient.close(),
  };
}

/** Adds the headers of the HTTP client and of a trace. The values of the others are hidden where they are secret. */
function withAllHeaders(request: HandlerTest['request'], sent: HttpCall): HandlerTest['request'] {
  const shown = new Set(request.headers.map(({ name }) => name.toLowerCase()));
  const added = sent.headers
    .filter(([name]) => !shown.has(name.toLowerCase()))
    .map(([name, value]) => [name, /^trace(parent|state)$/i.test(name) ? value : '***'] as const);
  const headers = [...request.headers.map(({ name, value }) => [name, value] as const), ...added];
  const length = Buffer.byteLength(sent.body ?? '');
  return {
    ...request,
    headers: wholeRequest({ method: sent.method, url: request.url, headers, body: null, length }).headers,
  };
}
