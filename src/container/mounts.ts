/** A host path that the container sees. Named volumes, tmpfs and images are none: nothing of the host shows through them. */
export interface Mount {
  /** As written: may be relative (docker and podman take it from the client's working directory). */
  source: string;
  target: string;
  readOnly: boolean;
  /** `z` or `Z`: the engine relabels the path for SELinux. */
  relabel: boolean;
}

/** `/host:/inside[:ro,Z]`. A source without a slash is a named volume: null. */
export function mountFromVolumeOption(value: string): Mount | null {
  const [source = '', target, options = ''] = value.split(':');
  if (target === undefined || !(source.includes('/') || source === '.' || source === '..')) return null;
  const flags = options.split(',');
  return { source, target, readOnly: flags.includes('ro'), relabel: flags.includes('z') || flags.includes('Z') };
}

/** `type=bind,source=/host,target=/inside[,readonly][,relabel=shared]`. Any other type: null. */
export function mountFromMountOption(value: string): Mount | null {
  const fields = new Map(
    value.split(',').map((field) => {
      const equals = field.indexOf('=');
      return equals === -1 ? [field, 'true'] : [field.slice(0, equals), field.slice(equals + 1)];
    }),
  );
  const first = (...names: string[]) => names.map((name) => fields.get(name)).find((field) => field !== undefined);
  const source = first('source', 'src');
  const target = first('target', 'destination', 'dst');
  if (fields.get('type') !== 'bind' || source === undefined || target === undefined) return null;
  const readOnly = first('readonly', 'ro');
  return {
    source,
    target,
    readOnly: readOnly !== undefined && readOnly !== 'false' && readOnly !== '0',
    relabel: fields.has('relabel') || fields.has('z') || fields.has('Z'),
  };
}
