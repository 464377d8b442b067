/** `joinery mcp`: the MCP server of a running service over standard input and output. */
import type { Command } from 'commander';
import { outcome } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { McpFlags } from './run.ts';

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];

export function addMcp(program: Command): void {
  connectionOptions(program.command('mcp'))
    .description('the tools of a running service for an agent that starts this command (MCP over standard input)')
    .option('--role <name>', 'the role that the agent acts as')
    .option('--header <"name: value">', 'a header of every request, such as a token; may be repeated', collect)
    .option('--admin', 'send the admin secret; without --role, the tools for developers as admin')
    .addHelpText(
      'after',
      `
The service needs JOINERY_ENABLE_MCP=true, and JOINERY_MCP_SCOPES for the tools for developers.

Examples
  joinery mcp --role user                            saved operations and the schema of a role, in development
  joinery mcp --header "Authorization: Bearer $TOKEN"   as the user of a token
  joinery mcp --admin --role user --header "X-Service-User-Id: 1"
  joinery mcp --admin --endpoint https://data.example.com
  claude mcp add shop -- npx joinery mcp --role user    start it from Claude Code`,
    )
    .action((given: McpFlags) => outcome('mcp', async () => (await import('./run.ts')).mcp(given)));
}
