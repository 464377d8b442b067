// Preloaded into a process. Shifts the wall clock by CLOCK_OFFSET_MS, and after one second by another CLOCK_JUMP_MS.
const originalNow = Date.now;
const OriginalDate = Date;
let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);

globalThis.Date = class extends OriginalDate {
  constructor(...parameters) {
    super(...(parameters.length === 0 ? [originalNow() + offset] : parameters));
  }
  static now() {
    return originalNow() + offset;
  }
};

setTimeout(() => {
  offset += Number(process.env.CLOCK_JUMP_MS ?? 0);
}, 1_000).unref();
