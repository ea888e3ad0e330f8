"""nginx: one process, files read by a pool of threads."""
from real import Program

CONFIGURATION = """\
daemon off;
master_process off;
error_log stderr;
pid nginx.pid;
thread_pool default threads=3 max_queue=100;
events { worker_connections 64; }
http {
  access_log off;
  aio threads;
  output_buffers 2 64k;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server { listen 127.0.0.1:21213; root .; }
}
"""


def prepare(folder):
    (folder / "nginx.conf").write_text(CONFIGURATION)
    (folder / "file.bin").write_bytes(bytes(range(256)) * 1000)


PROGRAM = Program(
    package="nginx",
    needs=[],
    build=
    "./configure --with-cc=$CC --with-threads --without-http_rewrite_module --without-http_gzip_module && make -j{jobs}",
    made="objs/nginx",
    prepare=prepare,
    command=["{program}", "-p", "{folder}/", "-c", "nginx.conf", "-e", "stderr"],
    client="nginx_client.py",
    port=21213)
