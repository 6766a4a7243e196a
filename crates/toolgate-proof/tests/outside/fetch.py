#!/usr/bin/env python3
"""Fetches inclusions that others have judged, by package name, and writes them as rows.

  fetch.py FOLDER      writes FOLDER/rows.jsonl; then  cargo test -p toolgate-proof --test it outside:: -- --nocapture

Two sources: the tests of the Python package `jsonsubschema` (Apache-2.0), whose calls are recorded while its own tests run and
counted only where the test passes; and the fixtures of the crate `jsoncompat` (MIT). Nothing of either is kept in the
repository. Needs Python 3.9, pip and cargo.
"""
import glob, json, os, subprocess, sys, tarfile

RECORDER = '''
import json, os
import jsonsubschema
calls = []
original = jsonsubschema.isSubschema
def recorded(one, other, *more, **named):
    try: texts = (json.dumps(one, allow_nan=False), json.dumps(other, allow_nan=False))
    except (TypeError, ValueError): texts = None
    answer = original(one, other, *more, **named)
    if texts and isinstance(answer, bool): calls.append(texts + (answer,))
    return answer
jsonsubschema.isSubschema = recorded
def pytest_runtest_setup(item): calls.clear()
def pytest_runtest_makereport(item, call):
    if call.when == 'call' and call.excinfo is None:
        with open(os.environ['ROWS'], 'a') as out:
            for one, other, answer in calls:
                out.write(json.dumps({'from': 'jsonsubschema', 'name': item.nodeid, 'contract': json.loads(one),
                                      'advertised': json.loads(other), 'within': answer, 'dialect': 'draft-07'}) + '\\n')
'''

def run(*command, **more): subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)

def jsonsubschema(folder, rows):
    python = os.path.join(folder, 'venv', 'bin', 'python')
    run(sys.executable, '-m', 'venv', os.path.join(folder, 'venv'))
    run(python, '-m', 'pip', 'install', '-q', 'pytest', 'jsonsubschema')
    run(python, '-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', '-d', folder, 'jsonsubschema')
    archive = sorted(glob.glob(os.path.join(folder, 'jsonsubschema-*.tar.gz')))[-1]
    with tarfile.open(archive) as tar: tar.extractall(folder)
    tests = os.path.join(archive[:-len('.tar.gz')], 'test')
    with open(os.path.join(folder, 'recorder.py'), 'w') as out: out.write(RECORDER)
    environment = dict(os.environ, ROWS=rows, PYTHONPATH=folder)
    subprocess.run([python, '-m', 'pytest', '-q', '-p', 'recorder', tests], cwd=folder, env=environment, stdout=subprocess.DEVNULL)

def jsoncompat(folder, rows):
    probe = os.path.join(folder, 'probe'); os.makedirs(os.path.join(probe, 'src'), exist_ok=True)
    with open(os.path.join(probe, 'Cargo.toml'), 'w') as out:
        out.write('[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\njsoncompat = "0.5"\n[workspace]\n')
    open(os.path.join(probe, 'src', 'lib.rs'), 'w').close()
    said = subprocess.run(['cargo', 'metadata', '--format-version', '1'], cwd=probe, check=True, capture_output=True).stdout
    manifest = [package['manifest_path'] for package in json.loads(said)['packages'] if package['name'] == 'jsoncompat'][0]
    fixtures = os.path.join(os.path.dirname(manifest), 'tests', 'fixtures')
    load = lambda *path: json.load(open(os.path.join(*path), encoding='utf-8'))
    with open(rows, 'a') as out:
        def row(name, contract, advertised, within):
            out.write(json.dumps({'from': 'jsoncompat', 'name': name, 'contract': contract, 'advertised': advertised, 'within': within}) + '\n')
        for case in sorted(glob.glob(os.path.join(fixtures, 'backcompat', '*'))):
            old, new, expect = load(case, 'old.json'), load(case, 'new.json'), load(case, 'expect.json')
            row(os.path.basename(case) + ': new in old', new, old, expect['serializer'])
            row(os.path.basename(case) + ': old in new', old, new, expect['deserializer'])
        for file in sorted(glob.glob(os.path.join(fixtures, 'compatibility', '*.json'))):
            for case in load(file):
                name = os.path.basename(file) + ': ' + case['description']
                row(name + ': new in old', case['new'], case['old'], case['expected'][0])
                row(name + ': old in new', case['old'], case['new'], case['expected'][1])

def main():
    if len(sys.argv) != 2: sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1]); os.makedirs(folder, exist_ok=True)
    rows = os.path.join(folder, 'rows.jsonl')
    if os.path.exists(rows): os.remove(rows)
    jsonsubschema(folder, rows); jsoncompat(folder, rows)
    print(sum(1 for _ in open(rows)), 'rows in', rows)

main()
