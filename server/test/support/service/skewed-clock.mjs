// Preloaded into a process: its wall clock is off by CLOCK_OFFSET_MS, and by CLOCK_JUMP_MS more a second later.
const right = Date.now;
const Right = Date;
let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);

globalThis.Date = class extends Right {
  constructor(...given) {
    super(...(given.length === 0 ? [right() + offset] : given));
  }
  static now() {
    return right() + offset;
  }
};

setTimeout(() => {
  offset += Number(process.env.CLOCK_JUMP_MS ?? 0);
}, 1_000).unref();
