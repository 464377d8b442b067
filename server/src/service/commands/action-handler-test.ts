/** `test_action_handler`: calls the handler of an action, and returns what was sent and received. */
import { TestActionHandler } from '@joinery/metadata/api/action-test';
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { testHandler } from '../../execute/action/handler/handler-test.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { readCommand } from './command.ts';

/** Changes nothing in the service; the handler is called with all of its effects. */
export const testActionHandler: ServiceCommand<CommandResult<'test_action_handler'>> = readCommand(
  TestActionHandler,
  ({ name, input, session_variables, client_headers }, { state }, { tools, signal }) => {
    const action = state.model.actions.get(name);
    if (action === undefined) {
      throw new ServiceError('not-exists', `action "${name}" does not exist`, { path: '$.args.name' });
    }
    const variables = new Map(lowerCase(session_variables ?? {}));
    const role = variables.get(`${tools.sessionPrefix}role`);
    const session = { role: role === undefined ? ADMIN_ROLE : RoleName.parse(role), variables };
    const headers = Object.fromEntries(lowerCase(client_headers ?? {}));
    const { httpClient, environment, operations } = tools;
    return testHandler(
      { action, input, session, headers, query: null },
      { httpClient, environment, settings: operations.settings, signal },
    );
  },
);

function lowerCase(pairs: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(pairs).map(([name, value]) => [name.toLowerCase(), value]);
}
