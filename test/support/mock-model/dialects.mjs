// What a model says, in four dialects: one call of the shell tool, and a sentence when its result has come.
const FAREWELL = 'Done: hello.txt has one more line.';
const SHELLS = ['bash', 'shell', 'shell_command', 'exec_command', 'run_shell_command', 'local_shell'];

/** `{name, schema}` of a tool that runs shell commands, among the tools of a request in any of the dialects. */
function shellOf(tools = []) {
  const all = tools.flatMap((tool) => [tool, tool.function, ...(tool.functionDeclarations ?? [])]).filter(Boolean);
  const found = all.find(({ name }) => SHELLS.includes(String(name).toLowerCase()));
  return found && { name: found.name, schema: found.input_schema ?? found.parametersJsonSchema ?? found.parameters ?? {} };
}

/** The arguments that this tool asks for; what is required besides the command gets something of its type. */
function argumentsFor({ properties = {}, required = [] }, command) {
  const key = 'cmd' in properties ? 'cmd' : 'command';
  const given = { [key]: properties[key]?.type === 'array' ? ['bash', '-lc', command] : command };
  const filler = { boolean: false, number: 1000, integer: 1000, array: [], object: {} };
  for (const name of required) given[name] ??= filler[properties[name]?.type] ?? 'say hello';
  return given;
}

const hasResult = (value) => /"(tool_result|function_call_output|functionResponse)"|"role":"tool"/.test(JSON.stringify(value ?? []));

/** What is said next: a call of the shell, or the farewell. */
export function nextTurn(body, command) {
  const shell = shellOf(body.tools);
  const over = shell === undefined || hasResult(body.messages ?? body.input ?? body.contents);
  return over ? { text: FAREWELL } : { call: { name: shell.name, args: argumentsFor(shell.schema, command) } };
}

const line = (data, event) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

function* anthropic({ text, call }, model) {
  const one = (type, fields) => line({ type, ...fields }, type);
  const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 50, cache_creation_input_tokens: 0 };
  yield one('message_start', {
    message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage },
  });
  const block = call ? { type: 'tool_use', id: 'toolu_1', name: call.name, input: {} } : { type: 'text', text: '' };
  const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) } : { type: 'text_delta', text };
  yield one('content_block_start', { index: 0, content_block: block });
  yield one('content_block_delta', { index: 0, delta });
  yield one('content_block_stop', { index: 0 });
  yield one('message_delta', { delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage });
  yield one('message_stop', {});
}

function* chat({ text, call }, model) {
  const chunk = (delta, finish_reason = null, more = {}) =>
    line({ id: 'chat_1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }], ...more });
  const asked = call && { index: 0, id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } };
  yield chunk(call ? { role: 'assistant', tool_calls: [asked] } : { role: 'assistant', content: text });
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  yield chunk({}, call ? 'tool_calls' : 'stop', { usage });
  yield 'data: [DONE]\n\n';
}

function* responses({ text, call }, model) {
  const item = call
    ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: call.name, arguments: JSON.stringify(call.args), status: 'completed' }
    : { type: 'message', id: 'm_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
  const response = { id: 'resp_1', object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
  const one = (type, fields) => line({ type, ...fields }, type);
  yield one('response.created', { response });
  yield one('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
  yield one('response.output_item.done', { output_index: 0, item });
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 50 }, output_tokens: 20, total_tokens: 120 };
  usage.output_tokens_details = { reasoning_tokens: 0 };
  yield one('response.completed', { response: { ...response, status: 'completed', output: [item], usage } });
}

function* gemini({ text, call }, model) {
  const part = call ? { functionCall: { name: call.name, args: call.args } } : { text };
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120, cachedContentTokenCount: 50 };
  yield line({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata,
    modelVersion: model,
  });
}

/** The dialect of a path, by name; null for what is no question to a model. */
export function dialectOf(path) {
  if (/enerateContent/.test(path)) return 'gemini';
  if (/\/messages$/.test(path)) return 'anthropic';
  if (/\/responses$/.test(path)) return 'responses';
  return /\/chat\/completions$/.test(path) ? 'chat' : null;
}

export const SPEAK = { anthropic, chat, responses, gemini };
