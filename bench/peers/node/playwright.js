'use strict';
// playwright-core over CDP: the default context's page, with its own managers
// and injected contexts.
const { chromium } = require('playwright-core');
const { Meter, start, end, endpoint } = require('./measure');

(async () => {
  const browser = await chromium.connectOverCDP(endpoint, { timeout: 60_000 });
  const context = browser.contexts()[0];
  const page = context.pages()[0];
  const meter = new Meter();
  let consoles = 0;
  page.on('console', (message) => {
    consoles++;
    if (message.text() === end) meter.stop({ frames: page.frames().length, consoles });
  });
  const session = await context.newCDPSession(page);
  meter.start();
  await session.send('Runtime.evaluate', { expression: start });
})().catch((err) => { console.error(String(err)); process.exit(1); });
