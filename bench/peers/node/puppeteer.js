'use strict';
// puppeteer-core: connected to the browser, one page with all its managers of
// frames, contexts, console and network, and one for each remote frame.
const puppeteer = require('puppeteer-core');
const { Meter, start, end, endpoint } = require('./measure');

(async () => {
  const browser = await puppeteer.connect({ browserWSEndpoint: endpoint, defaultViewport: null, protocolTimeout: 300_000 });
  const [page] = await browser.pages();
  const meter = new Meter();
  let consoles = 0;
  page.on('console', (message) => {
    consoles++;
    if (message.text() === end) meter.stop({ frames: page.frames().length, consoles });
  });
  const session = await page.createCDPSession();
  meter.start();
  await session.send('Runtime.evaluate', { expression: start });
})().catch((err) => { console.error(String(err)); process.exit(1); });
