/** `AGENTS.md` of a new project: its layout, commands and rules for coding agents. */

export const agentsFile = `# Instructions for coding agents

This project is a GraphQL API over PostgreSQL. [Joinery](README.md) serves it: there is no code for queries or permissions. The API is
defined by SQL in \`migrations/\` and by YAML in \`metadata/\`; \`handlers/\` has the business logic that the service calls over HTTP.

## Layout

| path | content |
|---|---|
| \`config.yaml\` | endpoint of the service, folders, the command that \`joinery dev\` runs |
| \`.env\` | settings and secrets of this machine; not in Git. \`.env.example\` lists the variables |
| \`migrations/<database>/<version>_<name>/\` | \`up.sql\` and \`down.sql\` of one step |
| \`seeds/<database>/\` | sample rows; a seed may run several times |
| \`metadata/databases/<source>/tables/\` | one file for each table: names, relationships, permissions, event triggers; \`tables.yaml\` includes them |
| \`metadata/actions.graphql\`, \`metadata/actions.yaml\` | signatures and types of actions; their handlers and permissions |
| \`metadata/*.yaml\` | remote schemas, cron triggers, saved operations, REST endpoints, limits |
| \`metadata/.schemas/\` | JSON Schemas of these files; written by the command, never edited |
| \`handlers/\` | the handlers and their tests |

The first line of a YAML file names its JSON Schema, which lists every member with its type and meaning. Write that line in new files.

## Commands

    npm install
    npx joinery dev

\`dev\` starts PostgreSQL, the service at <http://127.0.0.1:8080> and the handlers, and prints \`Ready\`. It applies migrations, metadata and
seeds, and applies them again when a file changes. It does not end: run it in the background. The commands below need it.

| to | run | expected output |
|---|---|---|
| check the YAML files without a service | \`npx joinery metadata validate\` | \`metadata is well-formed\` |
| see what the files would change | \`npx joinery metadata diff\` | \`No differences.\` once they are applied |
| apply the metadata | \`npx joinery metadata apply --fail-on-inconsistent\` | exit code 0, no errors |
| write changes of the console to the files | \`npx joinery metadata export\` | the written files |
| create a migration | \`npx joinery migrate create add_note\` | the folder with \`up.sql\` and \`down.sql\` |
| apply migrations | \`npx joinery migrate apply --check\` | the versions; rejects SQL that breaks the metadata |
| see which migrations are applied | \`npx joinery migrate status\` | a table with \`APPLIED\` |
| print the GraphQL schema of a role | \`npx joinery types schema --role user\` | SDL |
| see scheduled calls | \`npx joinery events list\` | the events with their status |
| find errors of the setup | \`npx joinery doctor\` | \`0 problems\` |
| test the handlers | \`npm test\` | \`fail 0\` |
| release to another service | \`npx joinery deploy --env prod --strict\` | exit code 0 |

Every command has \`--help\` with examples. Most have \`-o json\`: one JSON document, with the file, line and column of each error.

## Rules

- Migrations are append-only. Never edit or delete one that was applied; write a new one. Write \`down.sql\` too.
- Edit the files of \`metadata/\`, not the API of a running service: what is changed there only is lost at the next apply.
- A new table is invisible until it has a file in \`tables/\`, an \`!include\` in \`tables.yaml\`, and a permission for each role that uses it.
- A role sees only the columns and rows of its permissions. \`filter: {}\` means all rows: use it for public data only. Compare a column of the
  owner with a session variable, such as \`customer_id: { _eq: X-Service-User-Id }\`.
- List the columns of a permission. \`columns: "*"\` includes columns that are added later.
- Never write secrets or hosts into YAML. Use \`{{NAME}}\` in URLs, \`value_from_env\` in headers and \`from_env\` for database URLs, and add
  the name to \`.env.example\`.
- Handlers and webhooks may be called more than once for one event. Use the \`id\` of the event, or a unique key, to recognize duplicates.
- Test permissions as the role, never as the admin, who sees everything.

## Check a change

1. \`npx joinery metadata validate\` ends with exit code 0.
2. \`npx joinery metadata apply --dry-run\` shows the intended objects, and for each role the changes of its GraphQL schema.
3. \`npx joinery metadata apply --fail-on-inconsistent\` ends with exit code 0. Skip it while \`dev\` runs, which applies saved files.
4. A request as the role returns only its own rows:

       curl -s http://127.0.0.1:8080/v1/graphql -H 'X-Service-Role: user' -H 'X-Service-User-Id: 1' \\
         -d '{"query":"{ orders { id sku } }"}'

   With an admin secret (\`JOINERY_ADMIN_SECRET\`), the header \`X-Service-Admin-Secret\` is needed too.
5. \`npm test\` passes, \`npx joinery doctor\` reports \`0 problems\`.

## Documentation

A running service has the documentation of its own version: <http://127.0.0.1:8080/docs/llms.txt> lists the pages,
\`/docs/llms-full.txt\` has all of them, and each page exists as Markdown, such as \`/docs/permissions.md\`. Read \`/docs/metadata-files.md\` before
you change the metadata, \`/docs/permission-recipes.md\` for permissions, \`/docs/handlers.md\` for handlers and \`/docs/errors.md\` for errors.
`;
