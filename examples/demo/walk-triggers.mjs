// Step 6: an event trigger. The change of an order calls a webhook, which creates the shipment of the order.
import { setTimeout as sleep } from 'node:timers/promises';
import { print, title } from './client.mjs';

export async function triggerStep(client, check, shopUrl) {
  title('6. An order that is shipped calls a webhook, which creates its shipment');
  await fetch(`${shopUrl}/service`, { method: 'POST', body: JSON.stringify({ url: client.url }) });
  const { data } = await client.graphql('{ orders(where: { status: { _eq: "roasting" } }, limit: 2) { id } }');
  const [shipped, returned] = data?.orders ?? [];
  const change = (id, status) =>
    client.graphql(
      `mutation { update_orders_by_pk(pk_columns: { id: ${id} }, _set: { status: "${status}" }) { id status } }`,
    );
  await change(returned?.id, 'returned');
  await change(shipped?.id, 'shipped');
  const event = await eventOf(shopUrl, shipped?.id);
  check(event !== undefined, 'the webhook of the trigger was not called');
  if (event === undefined) return;
  print(`    the webhook received ${JSON.stringify(event)}`);
  check(
    event.event.op === 'UPDATE' && event.event.data.old.status === 'roasting',
    'the event does not have the change',
  );
  check(event.event.session_variables['x-service-role'] === 'admin', 'the event has no session variables');
  const order = await shipmentsOf(client, shipped.id, event.id);
  check(order !== undefined, 'the webhook created no shipment');
  check(
    (await receipts(shopUrl)).every(({ body }) => body.event.data.new.id !== returned.id),
    'a change that does not match the condition called the webhook',
  );
}

async function receipts(shopUrl) {
  const all = await (await fetch(`${shopUrl}/receipts`)).json();
  return all.filter(({ path }) => path === '/ship');
}

/** Waits up to ten seconds for the call with the order. */
async function eventOf(shopUrl, id) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = (await receipts(shopUrl)).find(({ body }) => body.event.data.new.id === id);
    if (found !== undefined) return found.body;
    await sleep(100);
  }
  return undefined;
}

/** Waits up to five seconds for the shipment with the id of the event. */
async function shipmentsOf(client, id, eventId) {
  const query = `{ orders_by_pk(id: ${id}) { id status shipments(where: { id: { _eq: "${eventId}" } }) { id carrier } } }`;
  for (let tries = 0; tries < 50; tries += 1) {
    const { data } = await client.graphqlQuietly(query);
    if (data?.orders_by_pk?.shipments.length === 1) {
      await client.graphql(query);
      return data.orders_by_pk;
    }
    await sleep(100);
  }
  return undefined;
}
