/** Two services for screenshots: one with sample data, and an empty one with an admin secret. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { fill } from '../support/sample-data.ts';
import { capture, type Scene } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

const secret = 'only for pictures';

export interface ServiceScene extends Scene {
  /** Whether to use the empty service with a secret. */
  readonly guarded?: true;
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Admin secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor({ state: 'attached' });
}

/** Registers a test for each scene. */
export function captureScenes(scenes: readonly ServiceScene[]): void {
  let browser: Browser;
  let webhook: Webhook;
  let service: Service;
  let guarded: Service;

  beforeAll(async () => {
    [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
    const environment = { NOTIFY_URL: webhook.url, NOTIFY_KEY: 'k-1' };
    service = await startService(environment);
    guarded = await startService({ ...environment, JOINERY_ADMIN_SECRET: secret });
    await fill(service);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([service?.stop(), guarded?.stop(), webhook?.stop()]);
  });

  test.each(scenes)('$name', async (scene) => {
    expect(await capture(browser, scene.guarded ? guarded.url : service.url, scene)).toEqual([]);
  });
}
