'use strict';
// chrome-remote-interface: one connection, JSON.parse and an event for each
// message; the listener keeps a map of frames.
const CDP = require('chrome-remote-interface');
const { Meter, start, end, endpoint } = require('./measure');

(async () => {
  const client = await CDP({ target: endpoint, local: true });
  const session = await new Promise((resolve, reject) => {
    client.Target.attachedToTarget(({ sessionId }) => resolve(sessionId));
    client.send('Target.setAutoAttach', { autoAttach: true, flatten: true, waitForDebuggerOnStart: false }).catch(reject);
  });
  for (const method of ['Page.enable', 'Runtime.enable']) await client.send(method, {}, session);
  const frames = new Map();
  const meter = new Meter();
  client.on('event', ({ method, params }) => {
    switch (method) {
      case 'Page.frameAttached': frames.set(params.frameId, params.parentFrameId); break;
      case 'Page.frameDetached': frames.delete(params.frameId); break;
      case 'Target.targetInfoChanged':
        if (params.targetInfo.title === end) meter.stop({ frames: frames.size });
    }
  });
  meter.start();
  await client.send('Runtime.evaluate', { expression: start }, session);
})().catch((err) => { console.error(String(err)); process.exit(1); });
