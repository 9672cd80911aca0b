import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runOptions } from '../../../src/container/options.ts';

const options = (text: string) => runOptions(text.split(' '), text.split(' ').indexOf('run'));

describe('runOptions', () => {
  it.each([
    ['docker run -i img', true],
    ['docker run -it img', true],
    ['docker run -ti img', true],
    ['docker run --interactive img', true],
    ['docker run --interactive=true img', true],
    ['docker run -i=1 img', true],
    ['docker run --rm -diu 1000 img', true],
    ['docker run --interactive=false img', false],
    ['docker run -i=false img', false],
    ['docker run -i --interactive=false img', false],
    ['docker run --init img', false],
    ['docker run -v /i:/i img', false],
    ['docker run -e -i img', false],
    ['docker run -vi /i img', false],
    ['docker run -I img', false],
    ['docker run img -i', false],
    ['docker run --name -i img', false],
    ['docker run -- img -i', false],
  ])('%s: interactive %s', (text, interactive) => {
    expect(options(text).interactive).toBe(interactive);
  });

  it.each([
    ['docker run img', 2],
    ['docker run --rm -i --init --stop-timeout 5 -u 1000:1000 -e HOME=/h -v /w:/work:Z -w /work -e KEY img agent', 17],
    ['docker run --cpu-quota 50000 img', 4],
    ['docker run -m 1g -- img', 5],
    ['docker run -d=false img', 3],
    ['docker run --pull never --network none img', 6],
    ['docker run --brand-new-option value img', 4],
    ['docker run --brand-new-switch --rm img', 4],
    ['docker run -eA=1 -p80:80 -it img', 5],
    ['docker run --rm', null],
    ['docker run -e', null],
    ['docker run --', null],
  ])('%s: image at %s', (text, imageIndex) => {
    expect(options(text).imageIndex).toBe(imageIndex);
  });

  it('reference case 2: --cidfile in the options is read, after the image it belongs to the container', () => {
    expect(options('docker run --cidfile /c img').cidfile).toBe('/c');
    expect(options('docker run --cidfile=/c img').cidfile).toBe('/c');
    expect(options('docker run img --cidfile /c').cidfile).toBeNull();
    expect(options('docker run --cpu-quota 50000 --cidfile /c img').cidfile).toBe('/c');
  });

  it('reads what a run says', () => {
    const read = options(
      'docker run --rm --init -it -u 1:1 --userns=keep-id --network none --sig-proxy=false -w /work -m 1g --pull=never -e A -eB=2=3 --env=C=4 img',
    );
    expect(read).toMatchObject({
      rm: true,
      init: true,
      tty: true,
      detach: false,
      user: '1:1',
      userns: 'keep-id',
      network: 'none',
      sigProxy: false,
      workdir: '/work',
      memory: '1g',
      pull: 'never',
      env: [
        { name: 'A', value: null },
        { name: 'B', value: '2=3' },
        { name: 'C', value: '4' },
      ],
    });
    expect(options('docker run -d img')).toMatchObject({ detach: true, rm: false, init: false, sigProxy: true });
    expect(options('docker run --detach --rm=false img')).toMatchObject({ detach: true, rm: false });
  });

  it('reads mounts, and only those of host paths', () => {
    const read = options(
      'docker run -v /a:/b -v /c:/d:ro,Z --volume=./e:/f -v cache:/g -v /anonymous --mount type=bind,src=/h,dst=/i,readonly --mount type=volume,source=v,target=/j --mount type=bind,source=/k,target=/l,relabel=shared img',
    );
    expect(read.mounts).toEqual([
      { source: '/a', target: '/b', readOnly: false, relabel: false },
      { source: '/c', target: '/d', readOnly: true, relabel: true },
      { source: './e', target: '/f', readOnly: false, relabel: false },
      { source: '/h', target: '/i', readOnly: true, relabel: false },
      { source: '/k', target: '/l', readOnly: false, relabel: true },
    ]);
  });

  it('finds the image after any mix of switches and valued options', () => {
    const option = fc.constantFrom(
      ['-i'],
      ['-it'],
      ['--rm'],
      ['-u', '1000'],
      ['-u1000'],
      ['-e', 'A=1'],
      ['--name', '-x'],
      ['--init'],
      ['-v', '/a:/b:Z'],
      ['--memory=1g'],
      ['--pids-limit', '-1'],
      ['-qP'],
      ['-itw', '/work'],
    );
    fc.assert(
      fc.property(fc.array(option), fc.array(fc.string()), (chosen, rest) => {
        const before = ['docker', 'run', ...chosen.flat()];
        expect(runOptions([...before, 'img', ...rest], 1).imageIndex).toBe(before.length);
      }),
    );
  });
});
