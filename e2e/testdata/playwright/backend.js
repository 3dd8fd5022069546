// Connects Playwright to the browser whose endpoint is the first argument and
// stays until its standard input ends. Without a listener Playwright closes
// every native dialog as it opens, in all pages.
const { chromium } = require("playwright-core");

(async () => {
	const browser = await chromium.connectOverCDP(process.argv[2]);
	console.log("ready");
	process.stdin.resume();
	process.stdin.on("end", async () => {
		await browser.close();
		process.exit(0);
	});
})().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
