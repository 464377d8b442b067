// Step 3: an action with a REST handler, joined to tables and, through a table, to another GraphQL server.
import { title } from './client.mjs';

export async function actionStep(client, check) {
  title('3. The action as the role user: handler, tables and the other GraphQL server in one request');
  const result = await client.graphql(
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
  const checkout = result.data?.checkout;
  check(checkout?.customer?.loyalty?.tier !== undefined, 'the customer of the action has no loyalty account');
  check(checkout?.earlierOrders?.length === 2, 'the array relationship did not return two orders');
  check(
    checkout?.lines?.every((line) => line.product?.name),
    'a line has no product',
  );
  const hidden = await client.graphql(
    'mutation { checkout(name: "x", items: [{ productId: 1, quantity: 1 }]) { customer { email } } }',
    { 'X-Service-Role': 'user', 'X-Service-User-Id': '7' },
  );
  check(
    hidden.errors?.[0]?.extensions?.code === 'validation-failed',
    'the role user selected a column without permission',
  );
}
