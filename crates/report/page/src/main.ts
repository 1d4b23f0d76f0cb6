// Begins: reads the data and shows the page that they are for.

import { read } from "./data";
import { h } from "./dom";
import { failurePage } from "./failure";
import { suitePage } from "./suite";

const app = document.getElementById("app");
if (app) {
  const page = read();
  if (page?.page === "failure") failurePage(page, app);
  else if (page?.page === "suite") suitePage(page, app);
  else app.replaceChildren(h("p", {}, "There are no data in this page."));
}
