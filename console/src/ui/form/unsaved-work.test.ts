import { describe, expect, test, vi } from 'vitest';
import { createUnsavedWork, currentSubmission, submitWork, type WorkScope } from './unsaved-work.ts';

const form = {};
const drawer: WorkScope = { parent: undefined };
const dialogInDrawer: WorkScope = { parent: drawer };

describe('a dialog', () => {
  test('closes at once without unsaved work in it', () => {
    const work = createUnsavedWork();
    const close = vi.fn();
    work.add(form, undefined);
    work.leave(drawer, close);
    expect(close).toHaveBeenCalledOnce();
    expect(work.pending()).toBeUndefined();
  });

  test('stays open until its unsaved work is discarded', () => {
    const work = createUnsavedWork();
    const close = vi.fn();
    work.add(form, drawer);
    work.leave(drawer, close);
    expect(close).not.toHaveBeenCalled();
    work.discard();
    expect(close).toHaveBeenCalledOnce();
    expect(work.isIn(undefined)).toBe(false);
  });

  test('stays open with its work when editing continues', () => {
    const work = createUnsavedWork();
    const close = vi.fn();
    work.add(form, drawer);
    work.leave(drawer, close);
    work.keepEditing();
    work.discard();
    expect(close).not.toHaveBeenCalled();
    expect(work.isIn(drawer)).toBe(true);
  });

  test('contains the work of the dialogs in it, but not that of the dialog around', () => {
    const work = createUnsavedWork();
    work.add(form, dialogInDrawer);
    expect(work.isIn(drawer)).toBe(true);
    work.delete(form);
    work.add(form, drawer);
    expect(work.isIn(dialogInDrawer)).toBe(false);
  });

  test('discards its own work only', () => {
    const work = createUnsavedWork();
    work.add(form, drawer);
    work.add({}, dialogInDrawer);
    work.leave(dialogInDrawer, vi.fn());
    work.discard();
    expect(work.isIn(drawer)).toBe(true);
    expect(work.isIn(dialogInDrawer)).toBe(false);
  });
});

test('leaving the page concerns the work of the page and of all dialogs', () => {
  const work = createUnsavedWork();
  work.add(form, dialogInDrawer);
  expect([work.isIn(undefined), work.isInDialog()]).toEqual([true, true]);
  work.add(form, undefined);
  expect([work.isIn(undefined), work.isInDialog()]).toEqual([true, false]);
});

test('reports the presence of work and each confirmation to subscribers', () => {
  const work = createUnsavedWork();
  const notify = vi.fn();
  const stop = work.subscribe(notify);
  work.add(form, undefined);
  work.leave(undefined, vi.fn());
  work.discard();
  stop();
  work.add(form, undefined);
  expect(notify).toHaveBeenCalledTimes(3);
});

test('a submit handler gives the commands that it starts the function of its form', () => {
  const onSaved = vi.fn();
  const seen = submitWork(onSaved, () => currentSubmission());
  expect(seen).toBe(onSaved);
  expect(currentSubmission()).toBeUndefined();
});

test('a submit handler that throws ends the submission', () => {
  expect(() =>
    submitWork(vi.fn(), () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(currentSubmission()).toBeUndefined();
});
