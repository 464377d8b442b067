/** Sample code with which a receiver verifies signatures. Pure. */
import type { DeliveryDraft } from './delivery-draft.ts';

export const verifiers = ['standardwebhooks', 'joinery/webhooks'] as const;
export type Verifier = (typeof verifiers)[number];

/** Undefined when requests are not signed. */
export function verificationCode({ signing, body }: DeliveryDraft, verifier: Verifier): string | undefined {
  if (signing === 'none') return undefined;
  return verifier === 'standardwebhooks' ? withLibrary(body) : withOurs(body);
}

function withLibrary(body: DeliveryDraft['body']): string {
  return [
    "import { Webhook } from 'standardwebhooks';",
    '',
    'const receiver = new Webhook(process.env.HOOK_KEY); // whsec_…',
    '',
    '// body: the bytes as they came, not JSON that was parsed and printed again',
    `const ${body === 'payload' ? 'payload' : '{ id, payload }'} = receiver.verify(body, request.headers);`,
  ].join('\n');
}

function withOurs(body: DeliveryDraft['body']): string {
  return [
    "import { createReceiver } from 'joinery/webhooks';",
    '',
    'const receiver = createReceiver({ keys: process.env.HOOK_KEY }); // whsec_… or whpk_…',
    '',
    ...(body === 'payload'
      ? ['receiver.verify(body, request.headers);', 'const payload = JSON.parse(body);']
      : ['const { id, payload, attempt } = receiver.receive(body, request.headers);']),
  ].join('\n');
}
