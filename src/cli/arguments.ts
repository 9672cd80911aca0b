import { InvalidArgumentError } from 'commander';

/** Option values as commander wants them checked: it puts the option's name around these messages. */
export function positiveInteger(value: string): number {
  const number = integer(value);
  if (number < 1) throw new InvalidArgumentError('It must be 1 or more.');
  return number;
}

export function nonNegativeInteger(value: string): number {
  return integer(value);
}

/** A round's number, or `latest`. */
export function roundSelector(value: string): number | 'latest' {
  return value === 'latest' ? value : positiveInteger(value);
}

/** Plain decimal digits only: Number() would also take '', '0x10' and '1e3'. */
function integer(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
