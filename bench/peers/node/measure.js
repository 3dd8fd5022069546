'use strict';
// What a stretch of this process cost, in the form that all clients print.
const { readFileSync } = require('node:fs');

function peak() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

class Meter {
  start() {
    if (global.gc) global.gc();
    this.wall = process.hrtime.bigint();
    this.cpu = process.cpuUsage();
  }
  stop(notes) {
    const cpu = process.cpuUsage(this.cpu);
    console.log(JSON.stringify({
      cpu_s: (cpu.user + cpu.system) / 1e6,
      wall_s: Number(process.hrtime.bigint() - this.wall) / 1e9,
      rss_kb: peak(), notes,
    }));
    process.exit(0);
  }
}

module.exports = { Meter, start: "'bench-start'", end: 'bench-end', endpoint: process.argv.at(-1) };
