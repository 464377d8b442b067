// The GraphQL server of another company: a loyalty program that the shop takes part in.
// Run alone with: PORT=4002 node examples/shop/loyalty.mjs
import { createServer } from 'node:http';
import { buildSchema, graphql } from 'graphql';

const schema = buildSchema(`
  type Query {
    "The account of a customer of the shop."
    account(customer: Int!): Account
  }
  type Account {
    customer: Int!
    points: Int!
    tier: Tier!
    vouchers(first: Int = 3): [Voucher!]!
  }
  enum Tier { BRONZE SILVER GOLD }
  type Voucher { code: String! percent: Int! }
`);

const root = {
  account: ({ customer }) => {
    const points = (customer * 7919) % 5000;
    return {
      customer,
      points,
      tier: points < 1500 ? 'BRONZE' : points < 3500 ? 'SILVER' : 'GOLD',
      vouchers: ({ first }) =>
        Array.from({ length: Math.min(first, 5) }, (_, n) => ({ code: `C${customer}-${n + 1}`, percent: 5 * (n + 1) })),
    };
  },
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    let result;
    try {
      const { query, variables, operationName } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      result = await graphql({ schema, source: query, rootValue: root, variableValues: variables, operationName });
    } catch (error) {
      result = { errors: [{ message: `cannot read the request: ${error.message}` }] };
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  });
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
