/** @file The expression that a log call logs under a name, as it is written. */

/** `loss / n` of `print("loss", loss / n)` or `` `loss ${loss / n}` ``; else the statement. */
export function valueText(name: string, statement: string): string {
  const quoted = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const argument = new RegExp(
    `^[\\w.]+\\(\\s*(["'\`])${quoted}\\s*[:=]?\\1\\s*,\\s*(.*?)\\s*\\);?$`,
    "s",
  );
  const hole = new RegExp(`${quoted}\\s*[:=]?\\s*\\$?\\{([^{}]+?)(?::[^{}]*)?\\}`);
  const found = argument.exec(statement)?.[2] ?? hole.exec(statement)?.[1];
  return found ?? statement.split("\n")[0] ?? statement;
}
