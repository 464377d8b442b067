import { captureScenes, type ServiceScene, signIn } from './two-services.ts';

const scenes: readonly ServiceScene[] = [
  {
    name: 'explore',
    path: '/explore',
    act: async (page) => {
      const operation = 'mutation Place {\n  placeOrder(product: "tea") {\n    orderId\n    customerId\n  }\n}';
      await page.getByRole('textbox', { name: 'Operation' }).fill(operation);
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText(/Call of placeOrder/).waitFor();
    },
  },
  {
    name: 'explore-docs',
    path: '/explore',
    act: async (page) => {
      await page.getByRole('button', { name: 'Docs' }).click();
      await page.getByRole('button', { name: 'mutation_root' }).click();
      await page.getByText('placeOrder').waitFor();
    },
  },
  {
    name: 'settings',
    path: '/settings',
    act: async (page) => {
      await page.getByText('Inconsistent metadata objects').waitFor();
      await page.getByRole('textbox', { name: 'Metadata' }).fill('{"version":3,"sources":[]}');
      await page.getByRole('button', { name: 'Preview the difference' }).click();
      await page.getByText('Every object could be used').waitFor();
    },
  },
  {
    name: 'explore-subscription',
    path: `/explore?${new URLSearchParams({ query: 'subscription Watch {\n  product(order_by: {id: asc}) {\n    id\n    name\n  }\n}' })}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText(/^1 result, the latest at/).waitFor();
    },
  },
  {
    name: 'explore-history',
    path: '/explore',
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('region', { name: 'response' }).waitFor();
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByRole('list', { name: 'Operations that were run' }).waitFor();
    },
  },
  { name: 'settings-nodes', path: '/settings/nodes', act: (page) => page.getByText('1 node alive').waitFor() },
  {
    name: 'settings-configuration',
    path: '/settings/configuration',
    act: async (page) => {
      await page.getByLabel('Search the settings').fill('secret');
      await page.getByRole('list', { name: 'Settings' }).getByText('JOINERY_ADMIN_SECRET', { exact: true }).waitFor();
    },
  },
  {
    name: 'settings-drop',
    path: '/settings',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Remove all inconsistent objects' }).click();
      await page.getByText('Remove 2 objects from the metadata?').waitFor();
    },
  },
  {
    name: 'operations',
    path: '/operations/collections',
    act: async (page) => {
      await page.getByRole('button', { name: 'ordersOfDay' }).click();
      await page.getByRole('region', { name: 'operation ordersOfDay' }).waitFor();
    },
  },
  {
    name: 'operations-empty',
    path: '/operations/collections',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('No collections of operations').waitFor();
    },
  },
  {
    name: 'operation-form',
    path: '/operations/collections',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add an operation' }).click();
      await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    },
  },
  {
    name: 'endpoints',
    path: '/operations/endpoints',
    act: (page) => page.getByText('/api/rest/orders/today').waitFor(),
  },
  {
    name: 'endpoint-form',
    path: '/operations/endpoints',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByLabel('URL').waitFor();
    },
  },
  {
    name: 'limits',
    path: '/operations/limits',
    act: (page) => page.getByText('levels of selections').first().waitFor(),
  },
  {
    name: 'rejected',
    path: '/operations/rejected',
    act: async (page) => {
      await page.getByRole('row').filter({ hasText: 'nothing' }).first().waitFor();
    },
  },
];

captureScenes(scenes);
