"""The network, by the libraries' own way out.

tries: torch.distributed's stores and process groups over TCP and files, torch.hub, xmlrpc, ftplib, smtplib, asyncio
observe: raises or times-out
"""

import ftplib
import smtplib
import urllib.request
import xmlrpc.client
from datetime import timedelta

import torch
import torch.distributed as dist

PORT = int("@tcp_port@")


def scaled_dot_product_attention(q, k, v, mask=None):
    refused = None
    for act in (
        lambda: dist.TCPStore("127.0.0.1", PORT, 2, False, timedelta(seconds=1)),
        lambda: dist.TCPStore("127.0.0.1", 0, 1, True, timedelta(seconds=1)),
        lambda: dist.init_process_group(
            "gloo", f"tcp://127.0.0.1:{PORT}", world_size=2, rank=1, timeout=timedelta(0, 1)
        ),
        lambda: dist.init_process_group("gloo", "file:///dev/shm/@mark@", world_size=1, rank=0),
        lambda: dist.FileStore("@folder@/store-@mark@", 1).set("a", "b"),
        lambda: torch.hub.download_url_to_file(f"http://127.0.0.1:{PORT}/", "@folder@/hub-@mark@"),
        lambda: urllib.request.urlopen(f"ftp://127.0.0.1:{PORT}/", timeout=1),
        lambda: xmlrpc.client.ServerProxy(f"http://127.0.0.1:{PORT}/").system.listMethods(),
        lambda: ftplib.FTP().connect("127.0.0.1", PORT, 1),
        lambda: smtplib.SMTP("127.0.0.1", PORT, timeout=1),
    ):
        try:
            found = act()
        except Exception as error:
            refused = error
        else:
            raise RuntimeError(f"GOT {found}")
    raise OSError(str(refused)[:100])
