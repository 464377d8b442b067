/** The files of a new project: tables for customers and orders, an action, and a scheduled webhook. */
import type { FileName } from '@joinery/metadata/files/files';
import { SCHEMAS, schemaFiles, withSchema } from '../../project/editor-schemas.ts';
import { handlerFile } from './handler.ts';
import { handlerTestFile } from './handler-test.ts';

/** The folder of the JSON Schemas. */
export const schemasFolder = `metadata/${SCHEMAS}`;

const kinds: Readonly<Record<string, FileName>> = {
  'version.yaml': 'version',
  'actions.yaml': 'actions',
  'databases/databases.yaml': 'databases',
  'databases/default/tables/tables.yaml': 'tables',
  'databases/default/tables/public_customer.yaml': 'table',
  'databases/default/tables/public_orders.yaml': 'table',
};

/** Returns the content of the files by path. */
export function projectFiles(): Readonly<Record<string, string>> {
  const schemas = [...schemaFiles()].map(([file, text]) => [`metadata/${file}`, text]);
  const metadata = Object.entries(metadataFiles).map(([file, text]) => {
    const kind = kinds[file];
    return [`metadata/${file}`, kind === undefined ? text : withSchema(file, kind, text)];
  });
  return { ...otherFiles, ...Object.fromEntries([...metadata, ...schemas]) };
}
const config = `# yaml-language-server: $schema=metadata/.schemas/config.json
version: 3
endpoint: http://127.0.0.1:8080
metadata_directory: metadata
migrations_directory: migrations
seeds_directory: seeds
# What "joinery dev" runs beside the service.
dev:
  run: node --watch handlers/server.mjs
`;

const environment = `# Read by the joinery commands in this folder, and by the handlers that "joinery dev" runs. "joinery serve" reads the
# environment alone.
# Where the handlers listen; {{HANDLER_URL}} in the metadata.
HANDLER_URL=http://127.0.0.1:3000

# Without a database of your own, an embedded PostgreSQL keeps its data in .joinery/.
# JOINERY_DATABASE_URL=postgres://user:password@localhost:5432/shop
# JOINERY_ADMIN_SECRET=a-long-random-text
`;

const up = `create table customer (
  id integer primary key generated always as identity,
  name text not null,
  email text not null unique
);

create table orders (
  id integer primary key generated always as identity,
  customer_id integer not null references customer,
  sku text not null,
  placed_at timestamptz not null default now()
);

create index on orders (customer_id);
`;

const seed = `insert into customer (name, email) values
  ('Ann', 'ann@example.com'),
  ('Bob', 'bob@example.com')
on conflict do nothing;
`;

const databases = `- name: default
  kind: postgres
  tables: "!include default/tables/tables.yaml"
`;

const customer = `table:
  name: customer
  schema: public
array_relationships:
  - name: orders
    using:
      foreign_key_constraint_on:
        column: customer_id
        table:
          name: orders
          schema: public
select_permissions:
  - role: user
    permission:
      columns:
        - id
        - name
      filter:
        id:
          _eq: X-Service-User-Id
`;

const orders = `table:
  name: orders
  schema: public
object_relationships:
  - name: customer
    using:
      foreign_key_constraint_on: customer_id
select_permissions:
  - role: user
    permission:
      columns:
        - id
        - sku
        - placed_at
      filter:
        customer_id:
          _eq: X-Service-User-Id
`;

const actionsGraphql = `type Mutation {
  "places an order, and requests a review a moment later"
  placeOrder(sku: String!): PlacedOrder
}

type PlacedOrder {
  orderId: Int!
}
`;

const actionsYaml = `actions:
  - name: placeOrder
    definition:
      kind: synchronous
      handler: '{{HANDLER_URL}}/place-order'
    permissions:
      - role: user
custom_types:
  enums: []
  input_objects: []
  objects:
    - name: PlacedOrder
      relationships:
        - name: order
          type: object
          remote_table:
            name: orders
            schema: public
          field_mapping:
            orderId: id
  scalars: []
`;

const readme = `# A Joinery project

    npm install
    npx joinery dev

installs the version of Joinery in \`package.json\`, starts the service with an embedded PostgreSQL and the handlers of \`handlers/\`, applies migrations, metadata and seeds,
and applies them again when a file changes. The console is at <http://127.0.0.1:8080/console>.

Ann places an order: an action with a REST handler, joined to the table under her permissions.

    curl -s http://127.0.0.1:8080/v1/graphql -H 'X-Service-Role: user' -H 'X-Service-User-Id: 1' \\
      -d '{"query":"mutation { placeOrder(sku: \\"A1\\") { orderId order { sku placed_at } } }"}'

Five seconds later the service calls \`/request-review\` of the handlers once: a scheduled event. See it, and schedule one to the sink of
\`joinery dev\`, which prints received requests:

    npx joinery events list
    npx joinery events schedule '{{SINK_URL}}' --in 10s --payload '{"hello":"world"}'

| file | what |
|---|---|
| \`config.yaml\`, \`.env\` | where the service and the files are; settings |
| \`migrations/\`, \`seeds/\` | the database, as SQL |
| \`metadata/\` | tables, permissions, actions |
| \`handlers/\` | the handlers, and their tests: \`npm test\` |
| \`package.json\` | the version of Joinery, which \`npm install\` installs; commands: \`npm run dev\`, \`npm run deploy\` |

Against a service of your own: \`npx joinery migrate apply\`, \`npx joinery metadata apply\`, with \`--endpoint\` and
\`--admin-secret\`. \`npx joinery doctor\` looks for what is wrong.
`;

const metadataFiles: Readonly<Record<string, string>> = {
  'version.yaml': 'version: 3\n',
  'actions.graphql': actionsGraphql,
  'actions.yaml': actionsYaml,
  'databases/databases.yaml': databases,
  'databases/default/tables/tables.yaml': '- "!include public_customer.yaml"\n- "!include public_orders.yaml"\n',
  'databases/default/tables/public_customer.yaml': customer,
  'databases/default/tables/public_orders.yaml': orders,
};

const otherFiles: Readonly<Record<string, string>> = {
  'config.yaml': config,
  '.env': environment,
  '.env.example': environment,
  '.gitignore': '.env\n.joinery/\nnode_modules/\n',
  'README.md': readme,
  'handlers/server.mjs': handlerFile,
  'handlers/server.test.mjs': handlerTestFile,
  'migrations/default/1700000000000_init/up.sql': up,
  'migrations/default/1700000000000_init/down.sql': 'drop table orders;\ndrop table customer;\n',
  'seeds/default/1700000000000_customers.sql': seed,
};
