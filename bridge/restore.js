// What puts the native functions back in a document that lives: an override of
// ours gives its native to whoever knows the mark, and ends at the secret.
(function (config) {
	"use strict";
	for (const name of ["alert", "confirm", "prompt"]) {
		const found = globalThis[name];
		if (typeof found === "function" && found[config.mark]) {
			found(config.secret);
		}
	}
})
