// Steps 2 and 3: an action answered by a REST endpoint, joined to tables and through a table to another GraphQL server.
import { title } from './client.mjs';

const succeeded = (answer) => answer.message === 'success';

export async function actionTypesStep(client, check) {
  title('2. An action and its types, with relationships to tables');
  const types = await client.command({
    type: 'set_custom_types',
    args: {
      scalars: [],
      enums: [],
      input_objects: [
        {
          name: 'BasketItem',
          fields: [
            { name: 'productId', type: 'Int!' },
            { name: 'quantity', type: 'Int!' },
          ],
        },
      ],
      objects: [
        {
          name: 'CheckoutLine',
          fields: [
            { name: 'productId', type: 'Int!' },
            { name: 'quantity', type: 'Int!' },
          ],
          relationships: [
            { name: 'product', type: 'object', remote_table: 'product', field_mapping: { productId: 'id' } },
          ],
        },
        {
          name: 'Checkout',
          fields: [
            { name: 'confirmation', type: 'uuid!' },
            { name: 'name', type: 'String!' },
            { name: 'customerId', type: 'Int!' },
            { name: 'lines', type: '[CheckoutLine!]!' },
          ],
          relationships: [
            { name: 'customer', type: 'object', remote_table: 'customer', field_mapping: { customerId: 'id' } },
            {
              name: 'earlierOrders',
              type: 'array',
              remote_table: { schema: 'public', name: 'orders' },
              field_mapping: { customerId: 'customer_id' },
            },
          ],
        },
      ],
    },
  });
  check(succeeded(types), 'set_custom_types failed');
  const action = await client.command({
    type: 'create_action',
    args: {
      name: 'checkout',
      definition: {
        type: 'mutation',
        arguments: [
          { name: 'name', type: 'String!' },
          { name: 'items', type: '[BasketItem!]!' },
        ],
        output_type: 'Checkout',
        handler: '{{SHOP_URL}}/checkout',
      },
    },
  });
  check(succeeded(action), 'create_action failed');
  const remote = await client.command({
    type: 'bulk',
    args: [
      { type: 'add_remote_schema', args: { name: 'loyalty', definition: { url_from_env: 'LOYALTY_URL' } } },
      {
        type: 'create_remote_relationship',
        args: {
          name: 'loyalty',
          table: 'customer',
          definition: {
            to_remote_schema: {
              remote_schema: 'loyalty',
              lhs_fields: ['id'],
              remote_field: { account: { arguments: { customer: '$id' } } },
            },
          },
        },
      },
      { type: 'create_action_permission', args: { action: 'checkout', role: 'user' } },
    ],
  });
  check(Array.isArray(remote) && remote.every(succeeded), 'the remote schema or its relationship failed');
}

export async function actionStep(client, check) {
  title('3. The action as the role user: handler, tables and the other GraphQL server in one request');
  const answer = await client.graphql(
    `
    mutation {
      checkout(name: "Friday order", items: [{ productId: 3, quantity: 2 }, { productId: 99, quantity: 1 }]) {
        confirmation
        name
        customer { name country loyalty { points tier vouchers(first: 1) { code percent } } }
        earlierOrders(order_by: { placed_at: desc }, limit: 2) { id status lines { quantity product { name } } }
        earlierOrders_aggregate { aggregate { count } }
        lines { quantity product { name price } }
      }
    }`,
    { 'X-Service-Role': 'user', 'X-Service-User-Id': '7' },
  );
  const checkout = answer.data?.checkout;
  check(checkout?.customer?.loyalty?.tier !== undefined, 'the customer behind the action lacks the loyalty account');
  check(checkout?.earlierOrders?.length === 2, 'the array relationship did not give two orders');
  check(
    checkout?.lines?.every((line) => line.product?.name),
    'a line lacks its product',
  );
  const hidden = await client.graphql(
    'mutation { checkout(name: "x", items: [{ productId: 1, quantity: 1 }]) { customer { email } } }',
    { 'X-Service-Role': 'user', 'X-Service-User-Id': '7' },
  );
  check(
    hidden.errors?.[0]?.extensions?.code === 'validation-failed',
    'the role user could select a column that it may not see',
  );
}
