/** Metadata with asynchronous actions. The handlers have the paths of the names of the actions. */

export const sql = `
  create table customer (id int primary key, name text not null, secret text);
  insert into customer values (1, 'Ada', 'a'), (2, 'Bea', 'b');
`;

/** A response transform that makes an error of a response with this status. */
const errorTransform = (status: number) => ({
  version: 2,
  template_engine: 'Kriti',
  errors: [{ status, body: { action: 'transform', template: '{ "message": "try again" }' } }],
});

const action = (name: string, definition: object = {}, role = 'user') => ({
  name,
  permissions: [{ role }],
  definition: { kind: 'asynchronous', handler: `{{HANDLERS}}/${name}`, output_type: 'Order', ...definition },
});
const customers = (role: string, filter: object) => ({ role, permission: { columns: ['id', 'name'], filter } });

export const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: {
        connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } },
      },
      tables: [
        {
          table: { schema: 'public', name: 'customer' },
          select_permissions: [customers('user', {}), customers('other', { id: { _eq: 2 } })],
        },
      ],
    },
  ],
  custom_types: {
    objects: [
      {
        name: 'Order',
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'customerId', type: 'Int' },
          { name: 'inner', type: 'OrderInner' },
        ],
        relationships: [
          {
            name: 'customer',
            type: 'object',
            remote_table: { schema: 'public', name: 'customer' },
            field_mapping: { customerId: 'id' },
          },
        ],
      },
      {
        name: 'OrderInner',
        fields: [{ name: 'customerId', type: 'Int' }],
        relationships: [
          {
            name: 'customer',
            type: 'object',
            remote_table: { schema: 'public', name: 'customer' },
            field_mapping: { customerId: 'id' },
          },
        ],
      },
    ],
  },
  actions: [
    action('order', {
      arguments: [
        { name: 'sku', type: 'String!' },
        { name: 'key', type: 'uuid' },
      ],
      forward_client_headers: true,
      headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
    }),
    action('wait'),
    action('single', { handler: '{{HANDLERS}}/wait', max_concurrent_calls: 1, timeout: 5 }),
    action('transformed', {
      arguments: [{ name: 'number', type: 'Int!' }],
      handler: '{{HANDLERS}}',
      request_transform: {
        version: 2,
        template_engine: 'Kriti',
        method: 'PUT',
        url: '{{$base_url}}/transformed/{{$body.input.number}}',
        body: { action: 'transform', template: '{ "sku": {{$session_variables["x-service-user-id"]}} }' },
      },
      response_transform: {
        version: 2,
        template_engine: 'Kriti',
        body: { action: 'transform', template: '{ "id": {{$body.data.number}}, "customerId": 1 }' },
      },
    }),
    action('masked', {
      retry_conf: { num_retries: 1, retry_interval_seconds: 0 },
      response_transform: errorTransform(503),
    }),
    action('masked_rejection', {
      handler: '{{HANDLERS}}/reject',
      retry_conf: { num_retries: 3, retry_interval_seconds: 0 },
      response_transform: errorTransform(422),
    }),
    action('untransformed', {
      retry_conf: { num_retries: 3, retry_interval_seconds: 0 },
      request_transform: { version: 2, body: { action: 'transform', template: '{{ $body.input.none }}' } },
    }),
    action('slow'),
    action('reject', { retry_conf: { num_retries: 3, retry_interval_seconds: 0 } }),
    action('flaky', { retry_conf: { num_retries: 2, retry_interval_seconds: 0 } }),
    action('broken', { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } }),
    action('wrong', { retry_conf: { num_retries: 3, retry_interval_seconds: 0 } }),
    action('hidden', {}, 'clerk'),
  ],
};
