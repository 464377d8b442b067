/** A project as the CLI of Hasura v2 writes it. */

/** Returns the files of a project with two sources, by their paths. */
export function hasuraProject(endpoint: string, secret: string): Readonly<Record<string, string>> {
  return {
    'config.yaml': `version: 3
endpoint: ${endpoint}
admin_secret: ${secret}
metadata_directory: metadata
actions:
  kind: synchronous
  handler_webhook_baseurl: http://localhost:3000
`,
    'migrations/default/1600000000100_orders/up.sql': `CREATE TABLE public.orders (
  id serial PRIMARY KEY, token uuid NOT NULL DEFAULT public.gen_random_uuid(), owner_id integer NOT NULL);
`,
    'migrations/default/1600000000100_orders/down.sql': 'DROP TABLE public.orders;\n',
    'migrations/default/1600000000200_notes/up.sql': `ALTER TABLE public.orders ADD COLUMN note text;
`,
    'migrations/default/1600000000200_notes/down.sql': 'ALTER TABLE public.orders DROP COLUMN note;\n',
    'migrations/billing/1600000000100_invoice/up.sql': 'CREATE TABLE public.invoice (number text PRIMARY KEY);\n',
    'migrations/billing/1600000000100_invoice/down.sql': 'DROP TABLE public.invoice;\n',
    'seeds/default/1600000000000_orders.sql': `INSERT INTO public.orders (id, owner_id, note) VALUES (1, 7, 'mine'), (2, 8, 'other')
ON CONFLICT DO NOTHING;
`,
    'seeds/billing/1600000000000_invoice.sql': `INSERT INTO public.invoice VALUES ('F-1') ON CONFLICT DO NOTHING;
`,
    'metadata/version.yaml': 'version: 3\n',
    'metadata/databases/databases.yaml': `- name: billing
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: BILLING_DATABASE_URL
      isolation_level: read-committed
      use_prepared_statements: false
  tables: "!include billing/tables/tables.yaml"
- name: default
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: HASURA_GRAPHQL_DATABASE_URL
      isolation_level: read-committed
      pool_settings:
        connection_lifetime: 600
        retries: 1
      use_prepared_statements: true
  tables: "!include default/tables/tables.yaml"
`,
    'metadata/databases/billing/tables/tables.yaml': '- "!include public_invoice.yaml"\n',
    'metadata/databases/billing/tables/public_invoice.yaml': `table:
  name: invoice
  schema: public
select_permissions:
  - role: accountant
    permission:
      columns:
        - number
      filter: {}
`,
    'metadata/databases/default/tables/tables.yaml': '- "!include public_orders.yaml"\n',
    'metadata/databases/default/tables/public_orders.yaml': `table:
  name: orders
  schema: public
remote_relationships:
  - name: shipment
    definition:
      to_remote_schema:
        remote_field:
          shipment:
            arguments:
              order: $id
        remote_schema: carrier
        lhs_fields:
          - id
insert_permissions:
  - role: customer
    permission:
      check: {}
      set:
        owner_id: x-hasura-User-Id
      columns:
        - note
select_permissions:
  - role: customer
    permission:
      columns:
        - id
        - note
      filter:
        owner_id:
          _eq: X-Hasura-User-Id
  - role: warehouse
    permission:
      columns: '*'
      filter: {}
event_triggers:
  - name: order_placed
    definition:
      enable_manual: false
      insert:
        columns: '*'
    retry_conf:
      interval_sec: 10
      num_retries: 0
      timeout_sec: 60
    webhook: '{{HANDLER_URL}}/order-placed'
`,
    'metadata/actions.graphql': `type Mutation {
  placeOrder(note: String): PlacedOrder
}

type PlacedOrder {
  order_id: Int!
}
`,
    'metadata/actions.yaml': `actions:
  - name: placeOrder
    definition:
      kind: synchronous
      handler: '{{HANDLER_URL}}/place-order'
      forward_client_headers: true
    permissions:
      - role: customer
custom_types:
  enums: []
  input_objects: []
  objects:
    - name: PlacedOrder
      relationships:
        - field_mapping:
            order_id: id
          name: order
          remote_table:
            name: orders
            schema: public
          source: default
          type: object
  scalars: []
`,
    'metadata/remote_schemas.yaml': `- name: carrier
  definition:
    url: '{{CARRIER_URL}}'
    timeout_seconds: 60
    customization: {}
    forward_client_headers: true
  comment: ""
`,
    'metadata/cron_triggers.yaml': `- name: nightly
  webhook: '{{HANDLER_URL}}/nightly'
  schedule: 0 2 * * *
  include_in_metadata: true
  payload: {}
  comment: ""
`,
    'metadata/query_collections.yaml': `- name: allowed-queries
  definition:
    queries:
      - name: order
        query: |
          query order($id: Int!) {
            orders_by_pk(id: $id) {
              note
            }
          }
`,
    'metadata/allow_list.yaml': `- collection: allowed-queries
  scope:
    global: true
`,
    'metadata/rest_endpoints.yaml': `- comment: ""
  definition:
    query:
      collection_name: allowed-queries
      query_name: order
  methods:
    - GET
  name: order
  url: orders/:id
`,
    'metadata/inherited_roles.yaml': `- role_name: clerk
  role_set:
    - warehouse
    - accountant
`,
    'metadata/api_limits.yaml': '{}\n',
    'metadata/backend_configs.yaml': '{}\n',
    'metadata/graphql_schema_introspection.yaml': 'disabled_for_roles: []\n',
    'metadata/metrics_config.yaml': '{}\n',
    'metadata/network.yaml': '{}\n',
    'metadata/opentelemetry.yaml': '{}\n',
  };
}
